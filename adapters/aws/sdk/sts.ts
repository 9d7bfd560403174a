/** The parts of the SDK for the STS client, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
