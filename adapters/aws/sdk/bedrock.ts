/** The parts of the SDK for the Bedrock provider, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
