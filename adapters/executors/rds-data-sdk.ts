/** What the RDS Data API is called with: named here, so that a late import still bundles nothing else of the SDK. */
export {
  BeginTransactionCommand,
  CommitTransactionCommand,
  ExecuteStatementCommand,
  RDSDataClient,
  RollbackTransactionCommand,
} from '@aws-sdk/client-rds-data';
