/** What the signer uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
