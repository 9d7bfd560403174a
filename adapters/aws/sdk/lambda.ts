/**
 * The parts of the SDK needed to invoke a function. They have their own file so that a late import bundles only these
 * parts.
 */
export { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
