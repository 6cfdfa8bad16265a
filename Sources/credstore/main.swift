import CredentialCLI

CredentialTool.main()
