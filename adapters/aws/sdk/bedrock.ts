/** The parts of the SDK for the Bedrock provider. In a separate file, so that a late import bundles only them. */
export { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
