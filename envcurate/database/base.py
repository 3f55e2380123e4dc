"""Django's PostgreSQL, at the server that comes with Envcurate: it starts when first needed."""

from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        from envcurate.embedded import services

        server = services().postgres
        self.settings_dict |= {
            "HOST": server.host,
            "PORT": server.port,
            "USER": server.user,
            "PASSWORD": server.password,
        }
        return super().get_connection_params()
