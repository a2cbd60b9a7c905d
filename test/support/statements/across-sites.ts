/**
 * Unique columns that identify one row among all sites, each with a reason. The caller does not know the site
 * beforehand.
 */
export const lookups = {
  'api_keys.key_hash': 'an API key determines the site, before anything else is known',
  'api_keys.previous_key_hash': 'a rotated API key determines the site too',
  'invitations.token_hash': 'an invitation link determines the site',
  'oauth_grants.person_id': 'a new password ends all assistants of the person, on every site',
  'oauth_tokens.token_hash': 'a token determines the site, before anything else is known',
  'owner_sessions.token_hash': 'a session token determines the site',
  'owner_sessions.owner_id': 'a person has sessions on several sites, and a new password ends all of them',
  'site_people.person_id': 'a sign-in names no site: the person may work on several',
  'sites.custom_domain': 'the host name of a request determines the site',
  'sites.subdomain': 'a subdomain of the service determines the site',
} satisfies Record<`${string}.${string}`, string>;

interface Exception {
  why: string;
  /** Statements that read rows of all sites, by table. */
  statements: [table: string, text: RegExp][];
}

/** Statements about all sites of their database. */
export const acrossSites: readonly Exception[] = [
  {
    why: 'an unknown host belongs to the only site of the installation: two rows show that there are several',
    statements: [['sites', /select [\w, ]+, false from sites order by id limit 2/]],
  },
  {
    why: 'the worker finds due work of all sites; later statements for a site name it',
    statements: [
      ['events', /from events, unhurried where awaits_fan_out order by occurred_at/],
      ['any', /^\/\* prepared statement \*\/ with recursive earliest .* as removals/],
      ['webhook_deliveries', /^with recursive earliest/],
      ['webhook_deliveries', /lease_until < now\(\) and attempt_count >= attempt_limit/],
      ['webhook_deliveries', /where lease_until > now\(\) \+ \S+ \* interval/],
      ['media_to_size', /^with recursive sites as \( \(select site_id from media_to_size/],
      ['media_removals', /from media_removals r where r\.due_at <= now\(\)/],
      ['media', /from media_removals r where r\.due_at <= now\(\)/],
    ],
  },
  {
    why: 'one query finds the next due draft of all sites, whose rows contain the site',
    statements: [
      ['any', /min\(publish_at\) as first/],
      ['any', /where publish_at <= .* order by publish_at limit \S+ for update skip locked/],
    ],
  },
  {
    why: 'expired rows of all sites are deleted',
    statements: [
      ['any', /^delete from "\w+" where ctid in \( select ctid from "\w+" as old where/],
      [
        'oauth_tokens',
        /^update oauth_tokens set successor_sealed = null where successor_sealed is not null and replaced_at <=/,
      ],
      ['webhook_deliveries', /^with gone as \( delete from webhook_deliveries/],
      ['trash', /from trash where deleted <=/],
    ],
  },
  {
    why: 'memberships of all sites that closed, and that no provider renews, end',
    statements: [
      ['memberships', /^update memberships m set state = 'ended'/],
      ['payment_connections', /^update memberships m set state = 'ended'/],
    ],
  },
  {
    why: 'views are stored in daily partitions, which are summed up by site and then dropped',
    statements: [
      ['page_views', /^create table if not exists "page_views_\d+" partition of page_views/],
      ['page_views', /select distinct site_id as id from page_views where day =/],
      ['any', /^drop table/],
    ],
  },
  {
    why: 'a few files of any sites show whether the media store belongs to the database',
    statements: [['media', /^select site_id, id from media order by created desc limit/]],
  },
  {
    why: 'the metric measures the whole queue',
    statements: [['events', /min\(occurred_at\) as since from events where awaits_fan_out/]],
  },
];
