/** The name of a type after what it is of: `content.created` or `not_found` in PascalCase. */
export const typeName = (of: string) =>
  of
    .split(/[ ._-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
