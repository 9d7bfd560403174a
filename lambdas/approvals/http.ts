/**
 * Lists approvals and accepts votes. Redirects browsers to the console, or shows them a page that explains how to vote.
 */

import { browserPage, browserPageHeaders, consolePlace } from '#core/approvals/browser-page.ts';
import type { HttpEvent, HttpHandler } from '#core/contracts/http.ts';
import { routes } from '#features/routes.ts';
import { headerOf, headerValues } from '../middleware/body.ts';
import { withErrorHandling } from '../middleware/error-handling.ts';
import { httpEndpoint, replyOf } from '../middleware/http-endpoint.ts';
import { createLocator } from '../middleware/router.ts';
import type { GatewayPorts } from '../ports.ts';

const pages = ['/admin/v1/approvals', '/admin/v1/approvals/{envelope_id}'];

export const createHandler = (ports: GatewayPorts): HttpHandler => {
  const api = httpEndpoint('approvals', ports);
  const page = withErrorHandling(ports, async ({ pathParameters }) => {
    const id = pathParameters?.envelope_id ?? '';
    const location = consolePlace(id, ports.consoleUrl);
    const page = { body: browserPage(id, location), contentType: 'text/html; charset=utf-8' };
    return location === undefined
      ? replyOf({ ...page, headers: browserPageHeaders })
      : replyOf({ ...page, status: 302, headers: { ...browserPageHeaders, location } });
  });
  const located = createLocator(routes.filter(({ handledBy }) => handledBy === 'approvals'));
  return (given, context) => {
    const event = located(given);
    return isBrowser(event) ? page(event, context) : api(event, context);
  };
};

/** Checks for a browser without a key, such as that of a reviewer who opened the link. API clients still get 401. */
const isBrowser = (event: HttpEvent): boolean =>
  pages.includes(event.resource) &&
  ['GET', 'HEAD'].includes(event.httpMethod) &&
  /\btext\/html\b/i.test(headerOf(event, 'accept') ?? '') &&
  [...headerValues(event, 'x-api-key'), ...headerValues(event, 'authorization')].length === 0;
