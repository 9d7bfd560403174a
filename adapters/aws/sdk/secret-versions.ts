/**
 * The parts of the SDK for the reader of stored secrets. In a separate file, so that a late import bundles only them.
 */
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
