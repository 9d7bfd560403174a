/**
 * The parts of the SDK needed to post to connections. They have their own file so that a late import bundles only these
 * parts.
 */
export {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
