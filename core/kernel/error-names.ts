/**
 * Names of platform and AWS SDK errors. The name is the only property that all versions and bundles have in common. The
 * gateway's own errors are classes with a code field.
 */
type ForeignErrorName =
  | PlatformName
  // DynamoDB
  | 'ConditionalCheckFailedException'
  | 'ResourceInUseException'
  | 'TransactionCanceledException'
  | 'TransactionConflictException'
  | 'TransactionInProgressException'
  | 'UnknownOperationException'
  | 'ValidationException'
  // S3
  | 'NoSuchKey'
  | 'PreconditionFailed'
  // Secrets Manager
  | 'AccessDeniedException'
  | 'ResourceNotFoundException'
  // WebSocket connections
  | 'GoneException'
  // Bedrock and its credentials
  | 'CredentialsProviderError'
  | 'ModelErrorException'
  | 'ModelTimeoutException'
  | 'TokenProviderError';

/** Names of `AbortSignal` abort reasons. */
type PlatformName = 'AbortError' | 'TimeoutError';

/** Checks the name of a thrown value or of an abort reason. */
export const isErrorNamed = (thrown: unknown, ...names: readonly ForeignErrorName[]): boolean => {
  const { name } = (thrown ?? {}) as { readonly name?: unknown };
  return names.some((one) => one === name);
};
