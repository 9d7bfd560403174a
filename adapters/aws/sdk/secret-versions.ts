/** The parts of the SDK for the reader of stored secrets, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
