/**
 * Derives a task sheet from a session's first request: the recipients and resources that the person named
 * [manifest.recipients].
 */
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import { firstRequestId } from './first-sheet.ts';
import { sheetOfRequest } from './from-request.ts';

/**
 * Returns the sheet without other values. A request is trusted only for its own call, and a sheet does not extend that
 * trust.
 */
export function sheetOfFirstRequest(request: string): FirstSheet {
  const { recipients = [], resources } = sheetOfRequest({ name: firstRequestId, risk_tier: 'high', request });
  return resources ? { recipients, resources } : { recipients };
}
