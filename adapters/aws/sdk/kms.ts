/** The parts of the SDK for the signer, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
