/** What handing over uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
