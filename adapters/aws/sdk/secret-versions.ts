/** What the reader of stored secrets uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
