/**
 * Turns an AWS service's refusal into an issuer fault, leaving out the service's messages because they contain ARNs.
 */
import { type OutsideFaultKind, ServiceFault } from '#core/execution/credentials/fault.ts';

const kinds: Readonly<Record<string, OutsideFaultKind>> = {
  AccessDenied: 'forbidden',
  AccessDeniedException: 'forbidden',
  ExpiredToken: 'unauthorized',
  ExpiredTokenException: 'unauthorized',
  InvalidClientTokenId: 'unauthorized',
  UnrecognizedClientException: 'unauthorized',
  SignatureDoesNotMatch: 'unauthorized',
  CredentialsProviderError: 'unauthorized',
  PackedPolicyTooLarge: 'policy_too_large',
  PackedPolicyTooLargeException: 'policy_too_large',
  MalformedPolicyDocument: 'rejected',
  MalformedPolicyDocumentException: 'rejected',
  ValidationError: 'rejected',
  ResourceNotFoundException: 'not_found',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  TooManyRequestsException: 'throttled',
  TimeoutError: 'timeout',
  AbortError: 'timeout',
};

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Returns the fault. From the service's response it includes only the SDK's names for error kinds. */
export function sdkFault(thrown: unknown): ServiceFault {
  if (thrown instanceof ServiceFault) return thrown;
  const { name = '', code, $metadata } = (thrown ?? {}) as SdkError;
  const status = $metadata?.httpStatusCode;
  const kind = kinds[name] ?? (status === undefined ? 'unreachable' : status >= 500 ? 'unavailable' : 'rejected');
  const shown = kinds[name] ? name : (code ?? (status === undefined ? 'nothing' : `status ${status}`));
  return new ServiceFault(kind, shown, status);
}
