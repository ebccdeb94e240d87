"""Model Context Protocol: servers of others, whose tools become ours. Nothing here trusts what they say."""
