// A token store is part of this module's own surface: who imports the client names tokens and stores without a
// second import.
@_exported public import CredentialStorage
