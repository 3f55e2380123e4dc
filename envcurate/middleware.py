"""What every request and answer passes: headers, and addresses that can lead nowhere."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseNotFound
from django.http.response import HttpResponseBase


class ContentSecurityPolicy:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        return response


class NoNul:
    """An address with a NUL in it leads nowhere: no row's name has one, and the database refuses to be asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info:
            return HttpResponseNotFound("There is nothing at this address.")
        return self.get_response(request)
