/** Tables that don't move with a site, and why. A table or column is either carried or named here. */
export const leftOutTables: Readonly<Record<string, string>> = {
  owners: 'whoever runs the other installation makes them, with passwords of their own',
  owner_sessions: 'a session is a secret of the installation that began it',
  password_resets: 'secrets that last for half an hour',
  api_keys: 'keys are secrets; programs are given new ones',
  member_sessions: 'a session is a secret of the installation that began it',
  move_tickets: 'addresses that are good for a minute',
  previews: 'their tokens are secrets of the installation that gave them out',
  sign_in_codes: 'secrets that last for minutes',
  webhook_subscriptions: 'their secrets are sealed with the key of the installation',
  webhook_deliveries: 'they belong to subscriptions',
  webhook_attempts: 'they belong to deliveries',
  events: 'what happened was told to those who listened there; nothing is told twice',
  event_followers: 'places of connections that are open',
  idempotency_keys: 'they belong to credentials, which stay',
  collection_changes: 'counted anew by triggers as records arrive',
  trash: 'what was deleted does not come back somewhere else',
  trash_parts: 'they belong to what is in the trash',
  page_views: 'visitors are told apart by hashes that are good for one day and installation',
  page_view_days: 'sums of what visitors of the old address did',
  page_view_labels: 'which labels an installation keeps of a day',
  page_view_label_counts: 'how many they are',
  page_view_rollups: 'which days an installation has summed up',
  page_view_salts: 'secrets that last for a day',
  audit_log: 'who changed what of how the old installation was run',
  media_to_size: 'the worker makes the smaller sizes anew',
  media_store: "which store is the old installation's",
  media_removals: 'what is yet to be removed from the store of the old installation',
  rate_limits: 'who asked how often, of one installation',
  migrations: 'which version a database is of',
};

/** Columns that no row of an archive has, whatever its table, and why. */
export const leftOutColumns: Readonly<Record<string, string>> = {
  site_id: 'an archive is of one site, which its manifest names',
  is_public: 'computed by PostgreSQL',
  search: 'computed by PostgreSQL',
};
