/** The parts of the SDK for the approval clock. In a separate file, so that a late import bundles only them. */
export { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
