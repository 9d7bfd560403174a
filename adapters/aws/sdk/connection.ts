/** What posting to connections uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
