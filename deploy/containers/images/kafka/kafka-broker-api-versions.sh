#!/bin/bash
# For the health check of docker-compose.yml. The jars have no such tool, so this checks that the broker accepts connections.
exec 3<>/dev/tcp/localhost/9092
