/** The parts of the SDK for invoking a function. In a separate file, so that a late import bundles only them. */
export { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
