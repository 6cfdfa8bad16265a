internal import CredentialStorage
print("placeholder")
