/** The parts of the SDK for the RDS Data API. In a separate file, so that a late import bundles only them. */
export {
  BeginTransactionCommand,
  CommitTransactionCommand,
  ExecuteStatementCommand,
  RDSDataClient,
  RollbackTransactionCommand,
} from '@aws-sdk/client-rds-data';
