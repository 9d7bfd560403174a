/** What the approval clock uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
