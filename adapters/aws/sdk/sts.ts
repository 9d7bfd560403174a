/**
 * The parts of the SDK needed by the STS client. They have their own file so that a late import bundles only these
 * parts.
 */
export { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
