/** Folders and URIs that tools may access, configured per server or declared by the caller per call [guard.roots]. */
import * as z from 'zod';

const root = z
  .string()
  .max(1_024)
  .regex(
    /^(?:\/(?!\/)|[A-Za-z]:[\\/]|file:\/\/\/|(?!file:)[a-z][a-z0-9+.-]{1,31}:\/\/[^\s/?#@]+(?=\/|$))[^?#]*$/i,
    'an absolute path, or a URI without user, query and fragment',
  )
  .refine((text) => !/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(text), 'a root without ".." in it');

export const declaredRoots = z.array(root).min(1).max(64);
