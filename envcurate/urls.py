"""Every address: pages at the root, the API under `/api/v1/`, log-in under `/accounts/`."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns = [
    path("", include("triage.urls")),
    path("accounts/login/", LoginView.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("api/v1/", include("triage.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
]
