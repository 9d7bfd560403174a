/**
 * The parts of the SDK needed by the Bedrock provider. They have their own file so that a late import bundles only
 * these parts.
 */
export { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
