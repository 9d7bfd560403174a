/**
 * The parts of the SDK needed to read stored secrets. They have their own file so that a late import bundles only these
 * parts.
 */
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
