/** The parts of the SDK for handing over, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
