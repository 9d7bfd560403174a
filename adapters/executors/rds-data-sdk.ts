/**
 * The parts of the SDK needed for the RDS Data API. They have their own file so that a late import bundles only these
 * parts.
 */
export {
  BeginTransactionCommand,
  CommitTransactionCommand,
  ExecuteStatementCommand,
  RDSDataClient,
  RollbackTransactionCommand,
} from '@aws-sdk/client-rds-data';
