/**
 * Errors of the platform and of AWS's clients, distinguished by their names, since they give nothing else that every version and every
 * bundle of them shares. Errors of our own are classes with a field that says what is read of them.
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

/** Reasons of an `AbortSignal`. */
type PlatformName = 'AbortError' | 'TimeoutError';

/** @param thrown anything, also the reason of a signal. */
export const isErrorNamed = (thrown: unknown, ...names: readonly ForeignErrorName[]): boolean => {
  const { name } = (thrown ?? {}) as { readonly name?: unknown };
  return names.some((one) => one === name);
};
