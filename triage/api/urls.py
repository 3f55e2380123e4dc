"""The addresses of the API."""

from django.urls import URLPattern, URLResolver
from rest_framework.routers import DefaultRouter

from triage.api import evidence, faults, proposals, repairs, trials, versions, viewsets

router = DefaultRouter()
router.include_root_view = False
router.register("domains", viewsets.DomainViewSet)
router.register("components", viewsets.ComponentViewSet)
router.register("environments", viewsets.EnvironmentViewSet)
router.register("rounds", viewsets.RoundViewSet)
router.register("checks", viewsets.CheckViewSet)
router.register("episodes", viewsets.EpisodeViewSet)
router.register("findings", viewsets.FindingViewSet)
router.register("codes", viewsets.CodeViewSet, basename="code")
router.register("counterexamples", evidence.CounterexampleViewSet)
router.register("certificates", evidence.CertificateViewSet)
router.register("suspicions", evidence.SuspicionViewSet)
router.register("audit-samples", evidence.AuditSampleViewSet)
router.register("faults", faults.FaultViewSet)
router.register("attributions", faults.AttributionViewSet)
router.register("repairs", repairs.RepairViewSet)
router.register("proposals", proposals.ProposalViewSet)
router.register("trials", trials.TrialViewSet)
router.register("versions", versions.VersionViewSet)

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = router.urls
