/** The parts of the SDK for posting to connections. In a separate file, so that a late import bundles only them. */
export {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
