/** What the STS client uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
