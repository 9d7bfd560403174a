/** What the Bedrock provider uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
