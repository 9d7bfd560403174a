/** The parts of the SDK for the STS client. In a separate file, so that a late import bundles only them. */
export { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
