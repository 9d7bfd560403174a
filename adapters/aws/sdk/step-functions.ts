/** The parts of the SDK for the approval clock, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
