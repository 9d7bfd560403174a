/** The parts of the SDK for the signer. In a separate file, so that a late import bundles only them. */
export { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
