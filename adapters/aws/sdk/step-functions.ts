/**
 * The parts of the SDK needed by the approval clock. They have their own file so that a late import bundles only these
 * parts.
 */
export { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
