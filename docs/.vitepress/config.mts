import { defineConfig } from "vitepress";

const page = (text: string, link: string): { text: string; link: string } => ({ text, link });

/** The site of `docs`: `npm run docs` builds it, and fails where a link leads nowhere. The pages read well on GitHub, too. */
export default defineConfig({
  title: "seqqa",
  description: "Finds the defects of an HTTP API that only appear in particular orders of calls, between users, or when two calls meet.",
  // Pages of a folder are called README.md, as GitHub shows them.
  rewrites: { "README.md": "index.md", "ci/README.md": "ci/index.md" },
  // Links to files of the repository are not pages of the site.
  ignoreDeadLinks: [/^(?:\.{1,2}\/)*(?:CHANGELOG|CONTRIBUTING|README|SECURITY)$/, /\.(?:yml|example)$/],
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      {
        text: "Guides",
        items: [
          page("A first exploration", "/guides/first-exploration"),
          page("Express and PostgreSQL", "/guides/express-postgresql"),
          page("Flask and MariaDB", "/guides/flask-mariadb"),
          page("Go and SQLite", "/guides/go-sqlite"),
          page("NestJS and TypeORM", "/guides/nestjs-typeorm"),
          page("Fastify and Drizzle", "/guides/fastify-drizzle"),
          page("How much to explore", "/guides/how-much"),
          page("Rules", "/guides/rules"),
          page("Strong rules", "/guides/strong-rules"),
          page("Two users", "/guides/two-users"),
          page("Races", "/guides/races"),
          page("Faults", "/guides/faults"),
          page("Coverage", "/guides/coverage"),
          page("Stores", "/guides/stores"),
          page("Choosing a checkpoint", "/guides/choosing-a-checkpoint"),
          page("Debugging an action", "/guides/debugging-an-action"),
          page("From a finding to a fix", "/guides/findings"),
          page("Journeys", "/guides/journeys"),
          page("State graphs", "/guides/state-graphs"),
          page("Stores as test fixtures", "/guides/testing"),
          page("Clients and data", "/guides/clients-and-data"),
          page("Resuming, shards, machines, CI", "/guides/runs"),
          page("CI recipes", "/ci/"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Commands", "/reference/commands"),
          page("Configuration", "/reference/configuration"),
          page("Guarantees and limits", "/reference/limits"),
          page("Versions and operating systems", "/reference/versions"),
          page("Error codes", "/errors"),
          page("API", "/reference/api/README"),
        ],
      },
      {
        text: "Concepts",
        items: [page("Glossary", "/glossary"), page("Architecture", "/architecture"), page("Other tools", "/comparison")],
      },
    ],
  },
});
