/** The AssemblyScript compiler, from this folder's own packages: `npm run plugins` installs them. */
export { default } from 'assemblyscript/asc';
