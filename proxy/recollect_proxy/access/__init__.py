"""The permissions under `/memory` of administrators, integrations that act for users, and people themselves.

``authentication`` finds the principal of a request, ``principal`` says which rights it has. Read ``principal`` first. The package
knows neither routes nor the engine; the store's row-level security checks each object once more.
"""
