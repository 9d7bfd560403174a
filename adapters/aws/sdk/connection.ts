/** The parts of the SDK for posting to connections, in a file of their own: a late import of it bundles nothing else of the SDK. */
export {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
