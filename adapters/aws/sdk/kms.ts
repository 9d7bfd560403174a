/**
 * The parts of the SDK needed by the signer. They have their own file so that a late import bundles only these parts.
 */
export { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
